import { useState } from 'preact/hooks';
import { api, type ServerInfo } from '../api.js';
import { Button, ErrorState } from '../components/index.js';
import { PreparingNote, usePreparing } from '../preparing/preparing-bar.js';
import type { RunDetails } from './runs-api.js';

/** Searches the served collection with what a run has learned, or with the model as published again. */
export function UseModel({ run, info }: { run: RunDetails; info: ServerInfo }) {
  const { name, state, best } = run;
  const isUsed = info.run === name;
  const isBetter = state === 'finished' && best !== undefined && best.step > 0;
  return info.choosable && (isBetter || isUsed) ? <Choice name={name} isUsed={isUsed} info={info} /> : null;
}

function Choice({ name, isUsed, info }: { name: string; isUsed: boolean; info: ServerInfo }) {
  const status = usePreparing();
  const [problem, setProblem] = useState<Error | undefined>();
  const choose = async (asked: Promise<unknown>) => {
    try {
      await asked;
      setProblem(undefined);
    } catch (error) {
      setProblem(error as Error);
    }
    status.reload();
  };
  return (
    <section class="panel stack use-model" aria-label={`Searching with ${name}`}>
      {status.data?.model === undefined && (
        <div class="use-model-line">
          <span>
            Search uses <b>{info.model?.label ?? 'words alone'}</b>
            {isUsed && ', here and on the command line'}.
          </span>
          {isUsed ? (
            <Button onClick={() => choose(api.delete('/v1/model'))}>Use the model as published again</Button>
          ) : (
            <Button kind="primary" onClick={() => choose(api.put('/v1/model', { run: name }))}>
              Use {name} for search
            </Button>
          )}
        </div>
      )}
      <PreparingNote status={status.data} />
      {problem && <ErrorState error={problem} />}
    </section>
  );
}
