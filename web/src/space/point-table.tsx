import { KIND_STYLES, type PointKind } from '../../../src/analyze/space/kinds.js';
import { type Column, Table } from '../components/index.js';
import { DocumentLink } from '../study/document-link.js';
import { nameOf, type SpacePicture } from './space-api.js';

export interface PointTableProps {
  run: string;
  picture: SpacePicture;
  hidden: ReadonlySet<PointKind>;
  onActive: (place: number | undefined) => void;
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
          {nameOf(point)}
        </DocumentLink>
      ),
      sortBy: ({ point }) => nameOf(point),
    },
    {
      name: 'Kind',
      cell: ({ point }) => KIND_STYLES[point.kind].label,
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
      cell: ({ point }) => point.ranks.ann ?? '–',
      sortBy: ({ point }) => -(point.ranks.ann ?? Number.POSITIVE_INFINITY),
    },
    {
      name: 'BM25 rank',
      numeric: true,
      cell: ({ point }) => point.ranks.bm25 ?? '–',
      sortBy: ({ point }) => -(point.ranks.bm25 ?? Number.POSITIVE_INFINITY),
    },
  ];
  return (
    <div class="point-table">
      <Table caption="Documents in the picture" columns={columns} rows={rows} rowKey={({ place }) => place} />
    </div>
  );
}
