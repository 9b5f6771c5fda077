"""The filters of the templates."""

from __future__ import annotations

from webui.markup.isolated import isolated, isolated_command
from webui.markup.sanitizer import visible
from webui.viewmodels.outcome import chip, sentence
from webui.viewmodels.relative_time import ago, clock_utc
from webui.viewmodels.session_row import file_label, short_path

FILTERS = {
    "ago": ago,
    "clock_utc": clock_utc,
    "visible": visible,
    "isolated": isolated,
    "isolated_command": isolated_command,
    "file_label": file_label,
    "short_path": short_path,
    "sentence": sentence,
    "chip": chip,
}
