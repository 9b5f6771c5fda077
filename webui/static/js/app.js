// The page's elements. Each page uses those that it contains.

import "./actor.js";
import "./check.js";
import "./code.js";
import "./commands.js";
import "./composer.js";
import "./feed.js";
import "./files.js";
import "./filter.js";
import "./forms.js";
import "./inbox.js";
import "./login.js";
import "./palette.js";
import "./prompt.js";
import "./push.js";
import "./questions.js";
import "./rename.js";
import "./rows.js";
import "./screen.js";
import "./session.js";
import "./shortcuts.js";
import "./stream.js";
import "./time.js";

document.documentElement.classList.add("js");
