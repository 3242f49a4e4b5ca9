/** `/try`: a page that lists the operations of `/openapi.json`, sends requests and shows responses. */

const STYLE = `
body{font:15px/1.45 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:22rem 1fr;min-height:100vh;color:#1c2430;background:#fff}
nav{border-right:1px solid #d5dae1;overflow:auto;max-height:100vh;padding:1rem;box-sizing:border-box}
nav button{display:block;width:100%;text-align:left;border:0;background:none;padding:.25rem .4rem;font:inherit;cursor:pointer;border-radius:4px}
nav button:hover,nav button:focus{background:#eef1f5}
nav code{font-size:.85em}
main{padding:1.25rem 2rem;min-width:0}
label{display:grid;grid-template-columns:16rem 1fr;gap:.75rem;margin:.3rem 0;align-items:center}
input{font:inherit;padding:.3rem .45rem;border:1px solid #b9c1cc;border-radius:4px;min-width:0}
pre{background:#f5f7f9;padding:1rem;overflow:auto;white-space:pre-wrap;word-break:break-word}
#send{font:inherit;padding:.4rem 1.2rem;margin-top:.8rem}
`;

const SCRIPT = `
const list = document.querySelector('#list');
const fields = document.querySelector('#fields');
const token = document.querySelector('#token');
token.value = sessionStorage.getItem('token') || '';
token.addEventListener('change', () => sessionStorage.setItem('token', token.value));
let current;
const paths = (await (await fetch('openapi.json')).json()).paths;
for (const [path, operations] of Object.entries(paths)) {
  for (const [method, operation] of Object.entries(operations)) {
    const button = document.createElement('button');
    const code = document.createElement('code');
    code.textContent = method.toUpperCase() + ' ' + path;
    button.append(code);
    button.title = operation.summary;
    button.addEventListener('click', () => show(method, path, operation));
    list.append(button);
  }
}
function show(method, path, operation) {
  current = { method, path };
  document.querySelector('#title').textContent = method.toUpperCase() + ' ' + path;
  document.querySelector('#purpose').textContent = operation.summary;
  fields.replaceChildren();
  for (const parameter of operation.parameters || []) add(parameter.name, parameter.in, parameter.required);
  const content = (operation.requestBody || { content: {} }).content;
  const body = content['multipart/form-data'] || content['application/x-www-form-urlencoded'];
  if (body) for (const [name, schema] of Object.entries(body.schema.properties || {})) {
    add(name, 'form', (body.schema.required || []).includes(name), schema.format === 'binary');
  }
}
function add(name, place, required, isFile) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.name = name;
  input.dataset.place = place;
  if (isFile) input.type = 'file';
  label.append(name + (required ? ' *' : ''), input);
  fields.append(label);
}
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!current) return;
  let path = current.path.replace(/^\\//, '');
  const query = new URLSearchParams();
  const form = new FormData();
  for (const input of fields.querySelectorAll('input')) {
    if (input.type === 'file' ? input.files.length === 0 : input.value === '') continue;
    if (input.dataset.place === 'path') path = path.replace('{' + input.name + '}', encodeURIComponent(input.value));
    else if (input.dataset.place === 'query') query.set(input.name, input.value);
    else form.set(input.name, input.type === 'file' ? input.files[0] : input.value);
  }
  const init = { method: current.method.toUpperCase(), headers: token.value ? { authorization: 'Bearer ' + token.value } : {} };
  if (current.method === 'post') init.body = form;
  const out = document.querySelector('#answer');
  try {
    const reply = await fetch(path + (query.size ? '?' + query : ''), init);
    const text = await reply.text();
    let shown = text;
    try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { shown = text; }
    out.textContent = 'HTTP ' + reply.status + '\\n\\n' + shown;
  } catch (error) {
    out.textContent = String(error);
  }
});
`;

export const TRY_STYLE = STYLE;
export const TRY_SCRIPT = SCRIPT;

export const TRY_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Airlock: try the interface</title>
<style>${STYLE}</style></head>
<body>
<nav id="list" aria-label="Operations"></nav>
<main>
<h1 id="title">Choose an operation</h1>
<p id="purpose">The whole interface is described in <a href="openapi.json">openapi.json</a>.</p>
<form>
<label>access token<input id="token" type="password" autocomplete="off"></label>
<div id="fields"></div>
<button id="send">Send</button>
</form>
<pre id="answer" aria-live="polite"></pre>
</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
