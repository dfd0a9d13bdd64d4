import './glossary.css';
import { useEffect } from 'preact/hooks';
import { useTitle } from '../router.js';
import { GLOSSARY } from './terms.js';

/** Every term of the pages in a sentence or two. */
export function GlossaryPage() {
  useTitle('Glossary');
  useEffect(() => {
    // The browser looks for the place before the page is drawn.
    const wanted = location.hash.slice(1);
    if (wanted) document.getElementById(wanted)?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <div class="glossary">
      <h1>Glossary</h1>
      <p class="soft">What the words and measures on these pages mean. Words with a dotted line lead here.</p>
      {GLOSSARY.map(({ title, terms }) => (
        <section key={title} aria-labelledby={`part-${title}`}>
          <h2 id={`part-${title}`}>{title}</h2>
          <dl>
            {terms.map(({ id, name, text }) => (
              <div key={id} id={id} class="glossary-term">
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
