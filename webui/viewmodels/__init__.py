"""What pages and partials show, as values made from the API's replies."""
