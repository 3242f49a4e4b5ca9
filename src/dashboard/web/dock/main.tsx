import { createRoot } from 'react-dom/client';
import '../ui/theme.css';
import { startTheme } from '../shared/theme.js';
import { takeNonceOfPage } from '../ui/nonce.js';
import { Dock } from './dock.js';

takeNonceOfPage();
startTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Dock />);
