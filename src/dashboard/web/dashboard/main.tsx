import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import '../shared/base.css';
import './dashboard.css';
import { App } from './app.js';
import { startTheme } from './theme.js';

startTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
