"""Benchmarks that anyone can run: `make bench`, or `python -m bench [--quick] [FIGURE...]`.

Each figure is a ratio of two ways to do one thing, both measured in the same run on the same
machine, so that the machine's speed cancels out. Everything happens on loopback, in a temporary
folder and on a tmux socket of its own.
"""
