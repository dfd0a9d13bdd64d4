import { useState } from 'preact/hooks';
import { useRequest } from '../use-request.js';
import { runsApi, type Training, type TrainingsAnswer } from './runs-api.js';

const ASK_EVERY_MS = 3000;

/** What to begin. */
export type TrainingChoice = Parameters<typeof runsApi.start>[0];

/** What can be trained here and what is being trained, with what a person can do about it. */
export interface Trainings {
  /** `undefined` until the server has said it. */
  offer: TrainingsAnswer | undefined;
  isAsking: boolean;
  isRunning: boolean;
  /** Why the last thing that was asked for was refused. */
  problem: Error | undefined;
  start(choice: TrainingChoice): void;
  stop(run: string): void;
}

/** Follows the trainings of the served collection as long as the page shows them. */
export function useTrainings(onBegun: (run: string) => void): Trainings {
  const offer = useRequest('trainings', (signal) => runsApi.trainings({ signal }), { everyMs: ASK_EVERY_MS });
  const [problem, setProblem] = useState<Error | undefined>();
  const act = async (work: Promise<Training>, then?: () => void) => {
    try {
      await work;
      setProblem(undefined);
      then?.();
    } catch (error) {
      setProblem(error as Error);
    }
    offer.reload();
  };
  const state = offer.data?.newest?.state;
  return {
    offer: offer.data,
    isAsking: !offer.data && !offer.error,
    isRunning: state === 'running' || state === 'stopping',
    problem,
    start: (choice) => void act(runsApi.start(choice), () => onBegun(choice.run)),
    stop: (run) => void act(runsApi.stop(run)),
  };
}
