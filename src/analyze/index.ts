export { type Analysis, type AnalyzeOptions, analyzeRuns, SECTIONS, type Section } from './analyze.js';
export type { ComparedRun } from './compare-runs.js';
export type { Bm25Overlap } from './corpus/bm25-overlap.js';
export {
  type GradientBound,
  lastLayerGradientNorm,
  type SourceGradients,
  type Triple,
} from './corpus/gradient-bound.js';
export type { LongTail } from './corpus/long-tail.js';
export type { NegativesOverlap, SourceOverlap } from './corpus/overlap.js';
export type { Cost, Costs } from './costs.js';
export { type Curves, curvesOf } from './curves.js';
export { type RunHistory, readHistory } from './history.js';
export { type BarPlot, barPlot } from './plot/bar-plot.js';
export { type BoxPlot, boxPlot } from './plot/box-plot.js';
export { type LinePlot, linePlot, type PlottedSeries } from './plot/line-plot.js';
export { type PanelPlot, panelPlot } from './plot/panel-plot.js';
export { type ScatterPlot, scatterPlot } from './plot/scatter-plot.js';
export { measureQuality, type QualityOptions } from './quality/measure.js';
export type { Quality, QualityCase } from './quality/quality.js';
export { readQualityCase } from './quality/quality-files.js';
export { type Figure, figuresOf } from './report/figures.js';
export {
  FIGURES_FOLDER,
  figuresFolder,
  makeSharedReport,
  type SharedReport,
  type ShareOptions,
  writeFigures,
} from './report/share.js';
export { type ReportTable, tablesOf } from './report/tables.js';
export { REPORT_FOLDER, reportText, writeReport } from './report/write-report.js';
export type { Series } from './series.js';
export type { SourceCurves } from './source-curves.js';
export { drawSpace, type SpaceOptions } from './space/space.js';
export type { SpacePicture } from './space/space-picture.js';
export { type TsneOptions, tsne } from './space/tsne.js';
