"""Sessions that speak a protocol over stdio."""
