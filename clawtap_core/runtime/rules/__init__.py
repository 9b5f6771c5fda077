"""Rules while they are in force: what they answer, how often, and what people allowed before."""
