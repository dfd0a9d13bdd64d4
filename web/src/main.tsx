import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/frame.css';
import { render } from 'preact';
import { App } from './app.js';

render(<App />, document.getElementById('app')!);
