/** A text in which backticks stand for code. */
export function Coded({ text }: { text: string }) {
  const parts = text.split('`');
  return <>{parts.map((part, nth) => (nth % 2 === 1 ? <code key={nth}>{part}</code> : part))}</>;
}
