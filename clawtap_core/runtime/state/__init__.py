"""The current state: sessions, prompts, queues, their events and deadlines."""
