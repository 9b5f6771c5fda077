"""The files in which CLIs keep their conversations: found, followed, read from the end."""

from clawtap_core.transcripts.conversation import Conversation
from clawtap_core.transcripts.library import Library, Transcript
from clawtap_core.transcripts.pages import Pages
from clawtap_core.transcripts.reading import AppendedFile, Parse, RewrittenFile, open_file
from clawtap_core.transcripts.regular import open_regular
from clawtap_core.transcripts.watching import Watcher

__all__ = [
    "AppendedFile",
    "Conversation",
    "Library",
    "Pages",
    "Parse",
    "RewrittenFile",
    "Transcript",
    "Watcher",
    "open_file",
    "open_regular",
]
