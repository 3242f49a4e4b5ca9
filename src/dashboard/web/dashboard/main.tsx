import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import '../shared/base.css';
import './dashboard.css';
import { App } from './app.js';
import { startTheme } from './theme.js';

startTheme();
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
