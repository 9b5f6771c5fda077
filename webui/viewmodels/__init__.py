"""The values that pages and partials show, made from the API's replies."""
