import { render } from "preact";

const root = document.getElementById("root");
if (root !== null) render(<p>byogpu</p>, root);
