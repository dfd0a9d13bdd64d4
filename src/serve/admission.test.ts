import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Admission, type AdmissionOptions } from './admission.js';

const roomy: AdmissionOptions = {
  concurrent: 2,
  concurrentBatches: 1,
  waiting: 3,
  waitMs: 10_000,
  workMs: 10_000,
};

/** Work that ends when it is told to. */
function task(): { work: () => Promise<string>; end: () => void; fail: () => void; started: () => boolean } {
  let begun = false;
  let [end, fail] = [(): void => {}, (): void => {}];
  const ending = new Promise<string>((resolve, reject) => {
    end = () => resolve('done');
    fail = () => reject(new Error('broken'));
  });
  const work = (): Promise<string> => {
    begun = true;
    return ending;
  };
  return { work, end, fail, started: () => begun };
}

describe('admission', () => {
  test('so much at a time, so much waiting in order, the rest refused', async () => {
    const admission = new Admission(roomy);
    const tasks = Array.from({ length: 6 }, task);
    const [first, ...others] = tasks.slice(0, 5).map(({ work }) => admission.run(work));
    await expect(admission.run(tasks[5].work)).rejects.toMatchObject({
      statusCode: 429,
      code: 'overloaded',
      retryAfter: 1,
    });
    expect([admission.active, admission.waiting]).toEqual([2, 3]);
    expect(tasks.map(({ started }) => started())).toEqual([true, true, false, false, false, false]);
    tasks[0].end();
    expect(await first).toBe('done');
    expect(tasks.map(({ started }) => started())).toEqual([true, true, true, false, false, false]);
    tasks[1].fail();
    await expect(others[0]).rejects.toThrow('broken');
    for (const { end } of tasks) end();
    expect(await Promise.all(others.slice(1))).toEqual(['done', 'done', 'done']);
    expect([admission.active, admission.waiting]).toEqual([0, 0]);
  });

  test('who waits too long is refused, and does not come up later', async () => {
    const admission = new Admission({ ...roomy, concurrent: 1, waitMs: 20 });
    const [long, late] = [task(), task()];
    const running = admission.run(long.work);
    await expect(admission.run(late.work)).rejects.toMatchObject({ statusCode: 503, retryAfter: 1 });
    long.end();
    await running;
    expect(late.started()).toBe(false);
    expect(admission.active).toBe(0);
  });

  test('work that takes too long is answered, but keeps its place until it ends', async () => {
    const admission = new Admission({ ...roomy, concurrent: 1, workMs: 20 });
    const endless = task();
    await expect(admission.run(endless.work)).rejects.toMatchObject({ statusCode: 504, code: 'timeout' });
    expect(admission.active).toBe(1);
    endless.end();
    await sleep(1);
    expect(admission.active).toBe(0);
  });

  test('batches have places of their own: a single query does not wait for one', async () => {
    const admission = new Admission(roomy);
    const batches = Array.from({ length: 4 }, task);
    const running = batches.map(({ work }) => admission.run(work, { size: 200 }));
    expect(await admission.run(async () => 'at once', { size: 1 })).toBe('at once');
    expect(batches.map(({ started }) => started())).toEqual([true, false, false, false]);
    for (const { end } of batches) end();
    expect(await Promise.all(running)).toEqual(['done', 'done', 'done', 'done']);
  });

  test('work is told when its client has gone, and when it has taken too long', async () => {
    const admission = new Admission({ ...roomy, concurrent: 1, workMs: 50 });
    const untilStopped = (signal: AbortSignal): Promise<never> =>
      new Promise((_, stop) => signal.addEventListener('abort', () => stop(signal.reason)));
    const leaving = new AbortController();
    const abandoned = admission.run(untilStopped, { signal: leaving.signal });
    await sleep(1);
    expect(admission.active).toBe(1);
    leaving.abort();
    await expect(abandoned).rejects.toMatchObject({ statusCode: 499 });
    expect(admission.active).toBe(0);
    await expect(admission.run(untilStopped)).rejects.toMatchObject({ statusCode: 504 });
    await sleep(1);
    expect(admission.active).toBe(0);
  });

  test('a client that goes away leaves the queue', async () => {
    const admission = new Admission({ ...roomy, concurrent: 1 });
    const [long, gone] = [task(), task()];
    const running = admission.run(long.work);
    const leaving = new AbortController();
    const waiting = admission.run(gone.work, { signal: leaving.signal });
    expect(admission.waiting).toBe(1);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ statusCode: 499 });
    await expect(admission.run(gone.work, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      statusCode: 499,
    });
    expect(admission.waiting).toBe(0);
    long.end();
    await running;
    expect(gone.started()).toBe(false);
  });
});
