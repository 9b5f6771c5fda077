"""ClawTap's demo: a scripted agent for a terminal, and the adapter that reads and answers it.

The agent (`clawtap_demo.agent`) needs the standard library only, so the adapter's hooks are
collected in `clawtap_demo.adapter` and not here.
"""
