/** Style of reports as HTML files. A server names its hash in their content policy. */
export const REPORT_STYLE =
  ':root{color-scheme:light dark;--ink:#1c2028;--muted:#5b6372;--line:#dcdfe6;--card:#fff;--ground:#f5f6f8;--fail:#b91f24;--warn:#855400;--pass:#176f3f}' +
  '@media (prefers-color-scheme:dark){:root{--ink:#e8eaf0;--muted:#a3a9b8;--line:#343a46;--card:#1d2027;--ground:#14161b;--fail:#ff8585;--warn:#f0b645;--pass:#57cc8f}}' +
  '*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}' +
  'main{max-width:60rem;margin:0 auto;padding:2rem 1rem}h1{margin:0;font-size:1.6rem;line-height:1.25}h2{margin:0 0 .6rem;font-size:1.1rem}' +
  '.muted{color:var(--muted);margin:.2rem 0 1.2rem}section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem;margin:0 0 1rem}' +
  '.verdict{border-left:4px solid currentColor;font-size:1.1rem;font-weight:600}.pass{color:var(--pass)}.warn{color:var(--warn)}.fail{color:var(--fail)}' +
  'table{border-collapse:collapse;width:100%}td,th{border-top:1px solid var(--line);padding:.45rem .6rem .45rem 0;text-align:left;vertical-align:top;font-variant-numeric:tabular-nums}' +
  'tr:first-child>*{border-top:0}th{color:var(--muted);font-weight:600;font-size:.85rem;white-space:nowrap}.wide td{overflow-wrap:break-word}.wide{overflow-x:auto}ol,ul{margin:0;padding-left:1.3rem}li{margin:.3rem 0}' +
  'progress{width:100%;min-width:6rem;height:.55rem;accent-color:var(--fail)}b{font-weight:600}small{color:var(--muted)}' +
  '@media print{:root{color-scheme:light;--ink:#000;--muted:#444;--line:#bbb;--card:#fff;--ground:#fff}main{max-width:none;padding:0}section{break-inside:avoid}}';
