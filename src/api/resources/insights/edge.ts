/** `/{video-id}/video_insights`, with metric and period as parameters or, as in the `id` of a row, in the path. */

import { z } from 'zod';
import type { VideoData } from '../../../lifecycle/documents.js';
import { COUNTER } from '../../../ports/index.js';
import { parameterError } from '../../../spec/service-errors.js';
import { API_LIMITS } from '../../context/limits.js';
import type { Call } from '../../graph/call.js';
import { defineEdge } from '../../graph/edge.js';
import { byDefault, defineNodeType } from '../../graph/node-type.js';
import { type Paging, pageOfList } from '../../graph/paging.js';
import { graphTime } from '../../graph/values.js';
import { list, oneOf, text } from '../../params/kinds.js';
import { METRICS, type Metric } from './metrics.js';
import { dayOf } from './recorder.js';

export interface InsightRow {
  readonly id: string;
  readonly name: string;
  readonly period: string;
  readonly values: readonly object[];
  readonly title: string;
  readonly description: string;
}

const insightType = defineNodeType<InsightRow>({
  typeName: 'InsightsResult',
  idOf: (row) => row.id,
  fields: {
    name: byDefault('string', 'Name of the metric.', (row) => row.name),
    period: byDefault('string', 'Aggregation period.', (row) => row.period),
    values: {
      ...byDefault<InsightRow>('list<object>', 'value, and end_time for periods of days.', (row) => row.values),
      // A metric's value is a number, or has keys of its own.
      keys: new Map([
        ['value', 'any'],
        ['end_time', undefined],
      ]),
    },
    title: byDefault('string', 'Title of the metric.', (row) => row.title),
    description: byDefault('string', 'Description of the metric.', (row) => row.description),
    id: byDefault('string', 'Video, metric and period.', (row) => row.id),
  },
});

const PERIODS = ['day', 'week', 'days_28', 'month', 'lifetime', 'total_over_range'] as const;
type Period = (typeof PERIODS)[number];

const readParams = z.object({ metric: list(text({ max: 100 })).optional(), period: oneOf(PERIODS).optional() });

const DAY_MS = 86_400_000;
/** Days summed in each value of a period. */
const WINDOW_DAYS: Readonly<Record<'day' | 'week' | 'days_28' | 'month', number>> = {
  day: 1,
  week: 7,
  days_28: 28,
  month: 30,
};

const TITLE: Readonly<Record<Period, string>> = {
  day: 'Daily',
  week: 'Weekly',
  days_28: '28-Day',
  month: 'Monthly',
  lifetime: 'Lifetime',
  total_over_range: 'Range',
};

export const insightsEdge = defineEdge<VideoData, typeof readParams>({
  row: insightType,
  params: readParams,
  segments: ['metric', 'period'],
  warnings: missing,
  // One value per metric and day; a lifetime has a single value.
  cost: ({ period }) => (period === undefined || period === 'lifetime' ? 0 : METRICS.length * API_LIMITS.insightDays),
  read: async ({ call, owner, paging, params }) => {
    const period = params.period ?? 'lifetime';
    const wanted = params.metric ?? METRICS.map((each) => each.name);
    const metrics = METRICS.filter((metric) => wanted.includes(metric.name) && hasPeriod(metric, period));
    const rows = await Promise.all(metrics.map((metric) => insightRow(call, owner.id, metric, period, paging)));
    // `since` and `until` select days here, not rows.
    return pageOfList(rows, (row) => row.id, paging);
  },
});

const hasPeriod = (metric: Metric, period: Period): boolean => period === 'lifetime' || metric.counter !== undefined;

/** The metrics that were asked for and are not in the answer: a client of another service asks for more than there are. */
function missing({ metric: wanted = [], period = 'lifetime' }: z.output<typeof readParams>): readonly object[] {
  return [...new Set(wanted)].flatMap((name) => {
    const found = METRICS.find((metric) => metric.name === name);
    if (found === undefined) return [{ metric: name, message: `${name} is not a metric of this service` }];
    return hasPeriod(found, period) ? [] : [{ metric: name, message: `${name} is counted for the lifetime only` }];
  });
}

async function insightRow(
  call: Call,
  videoId: string,
  metric: Metric,
  period: Period,
  paging: Paging,
): Promise<InsightRow> {
  return {
    id: `${videoId}/video_insights/${metric.name}/${period}`,
    name: metric.name,
    period,
    values: await valuesOf(call, videoId, metric, period, paging),
    title: metric.title.replace(/^Lifetime\b/, TITLE[period]),
    description: metric.description,
  };
}

async function valuesOf(
  call: Call,
  videoId: string,
  metric: Metric,
  period: Period,
  paging: Paging,
): Promise<object[]> {
  const { store } = call.services;
  const { counter } = metric;
  if (period === 'lifetime' || counter === undefined) return [{ value: await metric.lifetime({ store, videoId }) }];
  const untilMs = dayStart(paging.until ?? call.nowMs) + DAY_MS;
  const sinceMs = Math.max(dayStart(paging.since ?? untilMs - 2 * DAY_MS), untilMs - API_LIMITS.insightDays * DAY_MS);
  if (sinceMs >= untilMs) throw parameterError('Param since must be a time before until');
  const windowDays = period === 'total_over_range' ? 1 : WINDOW_DAYS[period];
  const days: number[] = [];
  for (let at = sinceMs - (windowDays - 1) * DAY_MS; at < untilMs; at += DAY_MS) days.push(at);
  const counts = await store.objects.counters(
    videoId,
    days.map((at) => COUNTER.ofDay(counter, dayOf(at))),
  );
  if (period === 'total_over_range') return [{ value: sum(counts) }];
  return days.slice(windowDays - 1).map((at, index) => ({
    value: sum(counts.slice(index, index + windowDays)),
    end_time: graphTime(at + DAY_MS, call),
  }));
}

const dayStart = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
