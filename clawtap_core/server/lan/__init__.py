"""HTTPS for phones in the same network, with a certificate authority of this machine's own."""
