"""`python -m clawtap_core.cli`: the same as the console script."""

from clawtap_core.cli import main

main()
