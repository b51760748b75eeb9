import { render } from "preact";
import { App } from "./app";
import "./styles/colours.css";
import "./styles/text.css";
import "./styles/frame.css";
import "./styles/tables.css";
import "./styles/states.css";
import "./styles/pages.css";
import "./styles/charts.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root");
render(<App />, root);
