import { createRoot } from 'react-dom/client';
import '../../ui/theme.css';
import { startTheme } from '../../shared/theme.js';
import { Queries } from '../client/queries.js';
import { Wall } from './wall.js';

startTheme();
const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <Queries>
      <Wall />
    </Queries>,
  );
