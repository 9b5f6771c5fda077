// The page's elements. Each page uses those that stand in it.

import "./forms.js";
import "./home.js";
import "./login.js";
import "./prompt.js";
import "./questions.js";
import "./screen.js";
import "./session.js";
import "./small.js";
import "./stream.js";

document.documentElement.classList.add("js");
