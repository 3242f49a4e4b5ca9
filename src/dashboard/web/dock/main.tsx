import { render } from 'preact';
import '../shared/base.css';
import './dock.css';
import { Dock } from './dock.js';

const root = document.getElementById('root');
if (root !== null) render(<Dock />, root);
