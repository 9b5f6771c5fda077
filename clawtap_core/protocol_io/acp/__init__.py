"""The agent client protocol (ACP): a peer that every CLI shares, and the dialect of each."""
