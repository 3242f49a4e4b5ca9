/** `/check/`: judges recordings in the browser. Nothing of them leaves it, which the content policy of the page enforces. */
import { createRoot } from 'react-dom/client';
import 'uplot/dist/uPlot.min.css';
import '../ui/theme.css';
import { startTheme } from '../shared/theme.js';
import { CheckPage } from './check-page.js';

startTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<CheckPage />);
