import type { ServerInfo } from '../api.js';
import { modeNames, modeText } from '../modes.js';

/** Before the first query: what is served, what the modes do, which keys work. */
export function Welcome({ info }: { info: ServerInfo }) {
  return (
    <div class="welcome">
      <dl class="facts">
        <div>
          <dt>Documents</dt>
          <dd>{info.documents.toLocaleString('en')}</dd>
        </div>
        {info.model && (
          <div>
            <dt>Model</dt>
            <dd>
              {info.model.name} <span class="soft">· {info.model.dimension} dimensions</span>
            </dd>
          </div>
        )}
        <div>
          <dt>Version</dt>
          <dd class="mono">{info.version}</dd>
        </div>
      </dl>
      <ul class="mode-list">
        {modeNames(info.modes).map((mode) => (
          <li key={mode} class={`mode-${mode} ${info.modes.includes(mode) ? '' : 'mode-missing'}`}>
            <b>{modeText(mode).label}</b>
            <span class="mode-about">
              {info.modes.includes(mode) ? modeText(mode).about : modeText(mode).missing}
            </span>
          </li>
        ))}
      </ul>
      <p class="keys soft small">
        <kbd>/</kbd> search box <kbd>↑</kbd> <kbd>↓</kbd> through the hits <kbd>←</kbd> <kbd>→</kbd> between
        columns <kbd>Enter</kbd> open · programs ask the <a href="/docs">HTTP API</a>
      </p>
    </div>
  );
}
