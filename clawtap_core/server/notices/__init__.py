"""Notices to a user who is elsewhere: when they are due, and answers from them."""
