import { KIND_STYLES, type PointKind } from '../../../src/analyze/space/kinds.js';
import { type Column, Table } from '../components/table.js';
import { Term } from '../components/term.js';
import { DocumentLink } from '../study/document-link.js';
import { nameOf, type SpacePicture } from './space-api.js';

export interface PointTableProps {
  run: string;
  picture: SpacePicture;
  hidden: ReadonlySet<PointKind>;
  onActive: (place: number | undefined) => void;
}

const KIND_TERMS: Record<PointKind, string> = {
  query: 'query',
  positive: 'positive',
  ann: 'ann-negative',
  bm25: 'bm25-negative',
  random: 'random-negative',
};

/** Only the first of each ranking are known. */
function rankOf(rank: number | undefined) {
  return rank ?? <span class="soft">lower</span>;
}

/** The same points as rows: what a keyboard and a screen reader use in place of the picture. */
export function PointTable({ run, picture, hidden, onActive }: PointTableProps) {
  const { points, maps } = picture;
  const rows = points.flatMap((point, place) =>
    point.kind === 'query' || hidden.has(point.kind) ? [] : { point, place },
  );
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    {
      name: 'Document',
      cell: ({ point, place }) => (
        <DocumentLink
          run={run}
          id={point.id}
          onFocus={() => onActive(place)}
          onBlur={() => onActive(undefined)}
          onPointerEnter={() => onActive(place)}
        >
          <span class="point-name" title={nameOf(point)}>
            {nameOf(point)}
          </span>
        </DocumentLink>
      ),
      sortBy: ({ point }) => nameOf(point),
    },
    {
      name: 'Kind',
      cell: ({ point }) => <Term id={KIND_TERMS[point.kind]}>{KIND_STYLES[point.kind].label}</Term>,
      sortBy: ({ point }) => KIND_STYLES[point.kind].label,
    },
    ...maps.map(
      ({ step, scores }): Column<Row> => ({
        name: step === 0 ? 'Score before' : `Score, step ${step}`,
        numeric: true,
        cell: ({ place }) => scores[place]?.toFixed(3),
        sortBy: ({ place }) => scores[place] ?? 0,
      }),
    ),
    {
      name: 'Model rank',
      numeric: true,
      cell: ({ point }) => rankOf(point.ranks.ann),
      sortBy: ({ point }) => -(point.ranks.ann ?? Number.POSITIVE_INFINITY),
    },
    {
      name: 'BM25 rank',
      numeric: true,
      cell: ({ point }) => rankOf(point.ranks.bm25),
      sortBy: ({ point }) => -(point.ranks.bm25 ?? Number.POSITIVE_INFINITY),
    },
  ];
  return (
    <div class="point-table">
      <Table caption="Documents in the picture" columns={columns} rows={rows} rowKey={({ place }) => place} />
    </div>
  );
}
