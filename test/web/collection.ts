import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DOCUMENTS = [
  [
    'anemia',
    'Anemia',
    'Anemia means too few red blood cells. People feel tired and look pale; lack of iron is the usual cause.',
    'blood',
    2004,
  ],
  [
    'leukemia',
    'Leukemia',
    'Leukemia is a cancer of the blood: the bone marrow makes too many white cells.',
    'blood',
    2011,
  ],
  [
    'hemophilia',
    'Hemophilia',
    'In hemophilia the blood does not clot, so that small wounds bleed for long.',
    'blood',
    1999,
  ],
  [
    'thrombosis',
    'Thrombosis',
    'A clot in a vein of the leg may travel to the lung. Blood thinners prevent it.',
    'blood',
    2015,
  ],
  [
    'iron',
    'Iron tablets',
    'Iron tablets treat a lack of iron. Take them with juice, not with milk.',
    'drugs',
    2008,
  ],
  [
    'aspirin',
    'Aspirin',
    'Aspirin relieves pain and fever and keeps platelets from sticking together.',
    'drugs',
    2001,
  ],
  [
    'insulin',
    'Insulin',
    'Insulin lets cells take up sugar. People with type 1 diabetes inject it.',
    'drugs',
    2012,
  ],
  [
    'antibiotics',
    'Antibiotics',
    'Antibiotics kill bacteria. They do nothing against the viruses of a cold.',
    'drugs',
    2016,
  ],
  [
    'asthma',
    'Asthma',
    'In asthma the airways narrow and breathing becomes hard; an inhaler opens them.',
    'lung',
    2009,
  ],
  [
    'pneumonia',
    'Pneumonia',
    'Pneumonia is an infection of the lung with cough, fever and chest pain.',
    'lung',
    2013,
  ],
  [
    'migraine',
    'Migraine',
    'Migraine is a throbbing headache on one side, with nausea and fear of light.',
    'brain',
    2007,
  ],
  [
    'stroke',
    'Stroke',
    'A stroke is a sudden loss of blood supply to the brain: face, arm and speech fail.',
    'brain',
    2014,
  ],
  [
    'insomnia',
    'Insomnia',
    'Whoever has insomnia lies awake at night and is weary during the day.',
    'brain',
    2005,
  ],
  ['fracture', 'Broken bones', 'A broken bone is set and held by a cast until it has healed.', 'bones', 2003],
] as const;

/** A collection of a few medical texts with metadata, small enough to be encoded in a second. */
export async function writeCollection(folder: string): Promise<string> {
  const lines = DOCUMENTS.map(([id, title, text, topic, year]) =>
    JSON.stringify({ _id: id, title, text, metadata: { topic, year } }),
  );
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'corpus.jsonl'), `${lines.join('\n')}\n`);
  return folder;
}
