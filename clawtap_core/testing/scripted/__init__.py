"""Scripted models: web servers on loopback that speak a provider's API and follow a script."""
