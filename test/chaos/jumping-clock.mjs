// Preloaded into a process whose clock is set while it runs: CHAOS_CLOCK="<after ms> <jump ms>". Timers and
// performance.now() go on as they do when a real clock is set.
const [afterMs, jumpMs] = (process.env.CHAOS_CLOCK ?? '0 0').split(' ').map(Number);
const RealDate = Date;
let offset = 0;
setTimeout(() => {
  // A clock has whole milliseconds.
  offset = Math.round(jumpMs);
}, afterMs).unref();

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...args);
  }

  static now() {
    return RealDate.now() + offset;
  }
};
