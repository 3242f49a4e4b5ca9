import { createRoot } from 'react-dom/client';
import '../shared/base.css';
import './dock.css';
import { Dock } from './dock.js';

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Dock />);
