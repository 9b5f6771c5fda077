"""ClawTap's demo: a scripted agent for a terminal, and the adapter that reads and answers it.

The agent (`clawtap_demo.agent`) needs the standard library only; the adapter is
`clawtap_demo.adapter`.
"""
