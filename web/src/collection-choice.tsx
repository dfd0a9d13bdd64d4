import type { ServerInfo } from './api.js';
import { BASE } from './base.js';

/** The name of what is served; of several, a choice between them. */
export function CollectionChoice({ info: { name, collections } }: { info: ServerInfo }) {
  if (collections.length < 2) return <b>{name}</b>;
  return (
    <select
      aria-label="Collection"
      value={BASE}
      onChange={(event) => location.assign(`${event.currentTarget.value}/`)}
    >
      {collections.map((collection) => (
        <option key={collection.path} value={collection.path}>
          {collection.name}
        </option>
      ))}
    </select>
  );
}
