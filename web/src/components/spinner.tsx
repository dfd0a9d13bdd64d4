/** Says that something is on its way; `label` is what a screen reader hears. */
export function Spinner({ label = 'Loading' }: { label?: string }) {
  return (
    <span class="spinner" role="status">
      <span class="visually-hidden">{label}</span>
    </span>
  );
}
