// The page's elements. Each page uses those that stand in it.

import "./commands.js";
import "./composer.js";
import "./feed.js";
import "./files.js";
import "./forms.js";
import "./home.js";
import "./keys.js";
import "./login.js";
import "./prompt.js";
import "./push.js";
import "./questions.js";
import "./screen.js";
import "./session.js";
import "./small.js";
import "./stream.js";

document.documentElement.classList.add("js");
