"""Words that the page no longer says, since others say it better."""

OLD_WORDS = (
    *("what waits", "watch a running one", "this device what", "not told yet"),
    *("nothing is sent about a session", "take it away", "take back", "composer is free"),
    *("waits for something", "does not know", "ongoing", "add a reason", "as the cli is set up"),
    *("as the system", "at the desk: clawtap", "its cli is stopped", "not possible now"),
    *("holds a draft", "no pane to watch", "for ever", "is none", "anew", "so many"),
)
