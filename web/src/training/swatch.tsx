/** The colour that a run has on the whole page. */
export function Swatch({ colour }: { colour?: string }) {
  return colour ? <span class="swatch" style={{ background: colour }} aria-hidden="true" /> : null;
}
