"""Other programs that ask, each as a session."""
