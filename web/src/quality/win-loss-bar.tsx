export interface WinLossBarProps {
  measure: string;
  wins: number;
  ties: number;
  losses: number;
}

const PARTS = [
  ['wins', 'better than BM25'],
  ['ties', 'equal'],
  ['losses', 'worse'],
] as const;

/** On how many queries the model is better, equal, worse. */
export function WinLossBar({ measure, ...counts }: WinLossBarProps) {
  const total = counts.wins + counts.ties + counts.losses;
  return (
    <figure class="win-loss">
      <figcaption>
        The trained model against BM25 by {measure}, of {total.toLocaleString('en')} queries
      </figcaption>
      <div class="win-loss-bar" aria-hidden="true">
        {PARTS.map(([part]) => (
          <span key={part} class={`win-loss-${part}`} style={{ flexGrow: counts[part] }} />
        ))}
      </div>
      <ul class="win-loss-legend small">
        {PARTS.map(([part, label]) => (
          <li key={part}>
            <span class={`win-loss-swatch win-loss-${part}`} aria-hidden="true" />
            <b>{counts[part].toLocaleString('en')}</b> {label}
          </li>
        ))}
      </ul>
    </figure>
  );
}
