"""What is true now: sessions, prompts, queues, their events and their deadlines."""
