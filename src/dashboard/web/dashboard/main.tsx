import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import '../ui/theme.css';
import { startTheme } from '../shared/theme.js';
import { takeNonceOfPage } from '../ui/nonce.js';
import { App } from './app.js';

startTheme();
takeNonceOfPage();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
