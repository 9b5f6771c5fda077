"""A fleet: several machines that share one Redis and one key, and show one list.

Redis carries copies of each machine's state and calls from one machine to another, all sealed with
the fleet key. The truth about a session stays in the journal of the machine that it runs on.
"""
