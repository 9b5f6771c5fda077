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

// A browser that knows no light-dark() has colours all the same.
if (!CSS.supports("color", "light-dark(red, red)")) {
  const sheet = document.querySelector('link[href$="/css/all.css"]');
  const older = sheet.cloneNode();
  older.href = sheet.href.replace("all.css", "older.css");
  sheet.after(older);
}
