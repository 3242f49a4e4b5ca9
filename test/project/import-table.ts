/**
 * Who may import whom, and the home of each package: data of the architecture test.
 *
 * The most specific path wins. A module may import itself, but in the modules of `ROOMED` every folder is a room of its own: the
 * files directly in it, without its subfolders. Types are imports that vanish when the code is compiled.
 */

/** Modules that use no socket, file, process, timer, clock or randomness. */
export const PURE = [
  'spec',
  'bytes',
  'rtmp',
  'media',
  'facts',
  'rules',
  'judge',
  'check',
  'containers',
  'lifecycle',
  'golive',
  'copyright',
] as const;

/** Modules whose rooms have rows of their own: a file imports another room of its module only where a row allows it. */
export const ROOMED = [
  'api',
  'broadcasts',
  'cli',
  'dashboard',
  'forward',
  'ingest',
  'playback',
  'probe',
  'rules',
  'server',
  'store',
  'vod',
];

export interface ModuleRule {
  /** Below `src/`: a folder or a file. */
  readonly path: string;
  /** Folders and files below `src/` whose values it may import. */
  readonly values: readonly string[];
  /** Those of which it may import types alone. */
  readonly types: readonly string[];
  readonly because: string;
}

/** Path | may import | and types of | because. `pure` stands for all of `PURE`. */
const TABLE = `
lib | |  | any module may import it, so it imports none
spec | lib/objects.ts | | the specification depends on no module
bytes | |  | the base of every parser
rtmp | bytes, lib | | the protocol is tested with bytes alone; reactions to events are decided outside
media | bytes, lib | | a parser reports what is there, not whether it is allowed
facts | lib, media/h264/caption-data.ts, media/h264/cpb.ts, media/h264/flaws.ts | media, bytes | facts have no bounds; put bounds into a rule
rules | spec, facts, lib | | the types of a rule and of its row, and measures that several rules share
rules/live | spec, facts, rules/catalogue-entry.ts, rules/rule.ts, rules/profile.ts, rules/bounds.ts, rules/codec-claims.ts, rules/track-presence.ts, rules/flaw-check.ts, rules/cause.ts | | a rule sees facts, never bytes; a missing fact belongs in facts
rules/upload | spec, rules/catalogue-entry.ts | facts, rules/rule.ts | a rule on a file sees what was probed, never the file
rules/service | rules/catalogue-entry.ts | rules/rule.ts | a row without a check
rules/registry | rules/live, rules/upload, rules/service | rules/catalogue-entry.ts, rules/rule.ts | lists the rules; the catalogue is derived from the list
rules/remedies | rules/profile.ts, rules/registry, spec | | falls back to the remedy of the rule
rules/judging | lib, spec, facts, rules/registry, rules/remedies, rules/upload, rules/rule.ts, rules/describe.ts, rules/explained.ts | rules/catalogue-entry.ts | runs the rules and keeps their records; no rule imports it
lifecycle | spec, lib | | the life of a broadcast is decided without reading media
judge | lifecycle/encoder-setup.ts, media, rules, facts, spec, lib | bytes | the one place where packets become facts and facts records
containers | media, bytes, spec/codec-names.ts | facts | a file of a container as messages of FLV; runs in a browser, too
check | containers, judge/judge.ts, judge/judge-types.ts, rules, media, rtmp, spec, bytes, lib | facts | a file as its bytes and its result; opening, reading and printing are outside
copyright | lib | | prints are compared as numbers; decoding, storing and what follows from a match are outside
golive | spec, lib | | encoder settings follow from the specification and the request alone
ports | spec, lib | lifecycle, judge, bytes | a port is an interface; the few functions beside them work through one
broadcasts | broadcasts/publisher, lifecycle, judge, golive/request.ts, rules/registry/service-codes.ts, media, spec, ports, lib | bytes | a broadcast is the same for every protocol: give a typed reason, and map it to codes in the protocol's folder
broadcasts/publisher | rules/registry/service-codes.ts, spec, lib | lifecycle, judge, bytes, media | all that a protocol and a broadcast know of each other
ingest/sockets | bytes/wire-error.ts, lib | bytes, ports | sockets of any protocol; it reads no more of them than the header of a proxy
ingest/rtmp | ingest/sockets, broadcasts, rtmp, media/media-message.ts, bytes, ports, lib | spec | a protocol brings publishes and packets to broadcasts; it reads no store and judges nothing
store | store/lmdb, store/redis, store/remote | store/dump, ports | opens the configured store; stores do not import each other
store/blobs | ports, lib | | stores bytes under keys, whatever they are
store/disk | lib | ports | free space, and the places of unfinished files
store/shared | ports, spec, lib | | what the stores have in common
store/dump | lib | ports, spec | rows of a backup do not depend on the store
store/lmdb | store/shared, store/dump, ports, lib | spec | one of the stores behind one port
store/redis | store/redis/scripts, store/shared, store/dump, ports, lib | spec | one of the stores behind one port
store/remote | store/lmdb, store/shared, ports, lib | spec | reads the embedded store and sends its writes to the store process
store/redis/scripts | |  | scripts that run in Redis
store/journal | store/shared, ports, lib | spec | records reach the store through the port
api | golive, spec, lib, api/access, api/graph, api/http, api/obs, api/pages, api/params, api/reference, api/resources, api/root | api/context, lifecycle, judge | joins the rooms below: the route table, the OpenAPI document, the assembled server
api/context | | lifecycle, judge, ports | limits, settings, the viewer and the loader: imported by the other rooms of api
api/params | api/context, spec, lib | | parameters and fields as text, before anything is read
api/access | api/context, ports, spec, lib | lifecycle, judge | access is decided from stored objects alone
api/admin | api/access, spec, ports, lib | lifecycle, judge | owners and tokens, for the command line and the first start
api/graph | api/access, api/context, api/params, spec, lib, ports | lifecycle, judge | runs routes and renders rows; it reaches resources only through the registry
api/obs | api/resources/shared/encoder-wishes.ts, api/context, api/http, golive, ports, lib | api/graph, lifecycle, judge | one service path for one client; what it answers is decided in golive
api/resources | golive, lifecycle/lifecycle.ts, api/access, api/context, api/graph, api/params, api/resources/shared, bytes, media, ports, spec, lib | lifecycle, judge | fields, edges and writes of one resource together; another resource is named, not imported
api/resources/shared | golive, api/access, api/graph, api/params, ports, spec | api/context, lifecycle, judge | fields that several resources share; it imports none of them
api/resources/errors.ts | api/graph, api/params, ports, rules/registry/catalogue.ts, spec, lib | | error records of one log, and of all logs of an owner
api/resources/insights | api/context, api/graph, api/params, ports, spec | lifecycle, judge | counts views; imports no other resource
api/resources/live-video | lifecycle/encoder-setup.ts, api/access, api/context, api/graph, api/params, api/resources, ports, rules/registry, spec, lib | lifecycle, judge | one resource; it may not import api/resources/video, which deletes live videos
api/resources/video | api/access, api/graph, api/params, api/resources, ports, rules/registry/service-codes.ts, spec, lib | lifecycle, judge | one resource; the Video of a broadcast is deleted with the broadcast
api/http | api/access, api/context, api/graph, api/params, spec, lib | ports | requests and responses; the routes come in as a registry
api/reference | | spec | texts and samples of the OpenAPI document
api/root | api/access, api/context, api/graph, api/http, api/params, api/resources/encoder-settings.ts, spec, lib | lifecycle, judge, ports | calls without an object: the batch makes calls as a request does
api/pages | api/context, api/resources/shared, lib/http-refusals.ts, lib/visible.ts | api/graph, lifecycle, judge, ports | pages and probes beside the graph
report | dashboard/view/health-series.ts, rules/profile.ts, rules/registry/service-codes.ts, spec, lib | lifecycle, judge, ports | one renderer for the terminal, a file and a browser; reading is outside
acme | ports, lib | | orders certificates; files and listeners are given to it
forward/core | lib, media/flv/enhanced-header.ts, media/flv/track-messages.ts | ports | one forward as a function of packets, words of the target and time
forward/feed | forward/core, media, ports | bytes | packets on their way between two processes
forward/process | lifecycle/lifecycle.ts, forward/core, forward/feed, forward/target, rtmp/publish-url.ts, ports, lib | lifecycle | joins what is decided and what is connected
forward/target | forward/core, rtmp, lib | ports | one connection to a target; it decides nothing
webhook | pure, ports, lib | | shell modules meet only in server/: ask for what is missing through a port
detection | copyright, store/blobs, store/disk, vod/jobs, vod/videos, bytes, media, rules/service, ports, lib | lifecycle, judge, spec | collects sound, makes prints, compares; probe makes the prints through a port
recording | store/blobs, store/disk, bytes, media, rules/registry/service-codes.ts, lib | ports | from packets to segments
vod/cleanup | store/blobs, vod/uploads, vod/videos, ports | store/disk, vod/jobs, recording, lifecycle, judge | removes expired and orphaned data
vod/files | media, ports, lib | | serves blobs by signed links
vod/jobs | ports, lib | | runs jobs without knowing what they do
vod/processing | store/blobs, store/disk, vod/jobs, recording, vod/uploads, vod/videos, rules/judging/file-records.ts, rules/registry/service-codes.ts, rules/upload, judge/service-record.ts, ports, lib | lifecycle, judge, facts, spec | the jobs: turn recordings and uploads into videos
vod/uploads | store/blobs, store/disk, vod/jobs, vod/videos, spec, ports, lib | recording, lifecycle, judge | turns untrusted bytes into a video with a job
vod/videos | ports | lifecycle, judge | changes Video documents; the callers decide why
probe | probe/cage, probe/containers, containers/formats.ts, bytes, media, spec, ports, lib | facts | runs ffprobe and ffmpeg; shell modules meet only in server/
probe/cage | lib | | builds the command line of a sandboxed program; knows no media
probe/containers | containers/formats.ts, containers/ts/packets.ts |  | finds truncation without any tool
playback | playback/child, playback/context, playback/previews, playback/relay, playback/viewers, ports, lib | | shell modules meet only in server/: ask for what is missing through a port
playback/context | | ports | dependencies, limits and messages: imported by the other rooms of playback
playback/relay | playback/context, bytes, rtmp | ports | sends streams; knows no viewer
playback/child | playback/context, lib | playback/relay, ports | the process of node-media-server and its restarts
playback/viewers | lib/http-refusals.ts, playback/context, playback/relay | playback/child, ports | the connections of viewers, each with a bound on what it buffers
playback/previews | playback/context, playback/viewers, lib | ports | HLS, written by ffmpeg in a sandbox
dashboard | dashboard/feed, dashboard/history, dashboard/view, spec, ports, lib | lifecycle, judge | shell modules meet only in server/: ask for what is missing through a port
dashboard/feed | dashboard/view, spec, ports, lib | lifecycle, judge | the live feed of one socket; its messages are defined in dashboard/view
dashboard/history | dashboard/view, spec, ports, lib | | charts of a broadcast are kept in the store, whether or not a page is open
dashboard/view | lifecycle/lifecycle.ts, lifecycle/encoder-setup.ts, spec, lib | lifecycle, judge, ports | shared by the server and the pages: protocol, limits, series
dashboard/web | dashboard/web/shared/faults.ts | | how the pages are built
dashboard/web/shared | lifecycle/lifecycle.ts, dashboard/view/limits.ts, dashboard/view/protocol.ts, lib/filled-remedy.ts, lib/objects.ts, lib/visible.ts, rules/profile.ts, rules/remedies/settings.ts, spec | | shared by both pages; runs in a browser, so it imports tables and the protocol of the feed only
dashboard/web/shared/faults.ts | rules/registry | | run by the build, which bundles its value: a browser gets no check of a rule
dashboard/web/dashboard | dashboard/view/broadcast-group.ts, dashboard/web/dashboard/broadcast, dashboard/web/dashboard/client, dashboard/web/dashboard/matches, dashboard/web/dashboard/overview, dashboard/web/dashboard/videos, dashboard/web/shared, dashboard/web/ui, lib/objects.ts, lib/visible.ts | dashboard/view/protocol.ts | one page: joins the views of the rooms below
dashboard/web/dashboard/client | dashboard/web/shared, dashboard/web/ui, dashboard/view/broadcast-group.ts, dashboard/view/protocol.ts, lib/objects.ts | spec | calls of the interface, the session, the address; imported by the other rooms of the page
dashboard/web/dashboard/charts | dashboard/web/dashboard/client, dashboard/web/shared, dashboard/web/ui, dashboard/view/health-series.ts, rules/profile.ts, lib/objects.ts, spec | dashboard/view/protocol.ts | charts of a running broadcast and of its video
dashboard/web/dashboard/broadcast | lifecycle/lifecycle.ts, dashboard/web/dashboard/charts, dashboard/web/dashboard/client, dashboard/web/shared, dashboard/web/ui, golive/command-lines.ts, lib/filled-remedy.ts, rules/remedies/labels.ts, spec | dashboard/view/protocol.ts | one broadcast
dashboard/web/dashboard/overview | lifecycle/lifecycle.ts, dashboard/web/dashboard/charts, dashboard/web/dashboard/client, dashboard/web/shared, dashboard/web/ui, dashboard/view/broadcast-group.ts, dashboard/view/limits.ts, dashboard/view/server-series.ts, lib/objects.ts | dashboard/view/protocol.ts, dashboard/view/server-state.ts | all broadcasts, and the server
dashboard/web/dashboard/videos | dashboard/web/dashboard/charts, dashboard/web/dashboard/client, dashboard/web/shared, dashboard/web/ui, spec | dashboard/view/protocol.ts | videos and uploads
dashboard/web/dashboard/matches | dashboard/web/dashboard/client, dashboard/web/shared, dashboard/web/ui | spec | copyright matches
dashboard/web/ui | dashboard/web/shared, spec | | components of both pages
dashboard/web/dock | lifecycle/lifecycle.ts, dashboard/web/shared, dashboard/web/ui, spec | dashboard/view/protocol.ts | one page; it shares code with the other one only through dashboard/web/shared and dashboard/web/ui
dashboard/web/check | dashboard/web/dashboard/charts, dashboard/web/shared, dashboard/web/ui, dashboard/view/health-series.ts, library/blob-source.ts, library/instantiate.ts, config/house-text.ts, spec, lib | check, judge | one page; its worker has the judge, and shows what is found as the dashboard shows a broadcast
dashboard/web/docs | dashboard/web/shared, dashboard/web/ui, dashboard/view/protocol.ts | | one page; all that it shows comes from /openapi.json
library | check, config/house-text.ts, rules/profile.ts, rules/remedies, spec, lib | bytes, judge, rules | the package for other programs: the judge and what opens files, nothing of the server
conform | rtmp, bytes, lib | | holds any ingest against cases: it knows no server, and reaches one through a peer
config | lib | pure, ports | settings are loaded before anything else
cli | cli/console, cli/admin, cli/completion, cli/conform, cli/doctor, cli/fixtures, cli/replay, cli/serve, cli/spec, cli/validate | | joins the commands, each loaded when it is named; nothing below imports it
cli/console | lib | | the terminal and the process: exit codes, tables, how a command line is run; the commands stand on it
cli/input | cli/console, check/house-names.ts, config, probe/tool-paths.ts, spec, lib | | command-line input: files and settings
cli/remux | probe, spec, lib | containers | remuxes files of other containers; writes nothing to the terminal
cli/reports | cli/console, check/file-report.ts, rules, spec, lib | lifecycle, judge | a report is plain data, filled by the commands
cli/validate | cli/console, cli/input, cli/remux, cli/reports, check, containers, bytes, media, rules, spec, lib, probe, server/system/log.ts | facts, judge, ports | judges files without a server
cli/replay | cli/console, cli/input, cli/remux, cli/reports, check/file-report.ts, containers/source/media-file.ts, config/data-folder.ts, config/quickstart-file.ts, bytes, media, rtmp, rules, spec, lib | lifecycle, judge | an encoder: it reaches a server through sockets only
cli/conform | cli/console, cli/replay, cli/reports/junit.ts, conform, lib | | runs the cases of conform and prints what came of them
cli/completion | cli/console | | reads the commands as commander holds them
cli/spec | cli/console, check, rules, spec | | prints the published document and the rules
cli/admin | cli/console, cli/input, config, lib, server/admin/direct.ts, server/admin/backup.ts, server/admin/server-key.ts, report | server/supervisor | asks a running server, or does the same on its store
cli/doctor | cli/console, cli/input, cli/admin/client.ts, config, probe/cage, probe/tool-paths.ts, server/admin/direct.ts | ports, server/admin/context.ts | checks the machine that a server will run on
cli/serve | cli/console, cli/input, config, lib, server/serve.ts, server/system | ports | starts the supervisor and ends it; reaches no store and no socket of it
cli/fixtures | cli/console, cli/input, cli/replay, cli/reports, check/file-report.ts, cli/admin/client.ts, config, rules, server/serve.ts, server/system/log.ts, lib/visible.ts | cli/serve/serve.ts | publishes to its own server as replay does, and queries it as admin does
server/system | lib | ports | implements the ports of clock, randomness, ids and log
server/http | lib | ports | listens on a port or a socket file; server/roles supplies the handlers
server/metrics | rules/registry, ports, lib, server/system | broadcasts, detection, playback, probe, recording, store/journal, vod/cleanup, server/http | a metric is one row, which says how it is read
server/rpc | detection/limits.ts, ports, probe/deep-probe.ts, lib/pending-calls.ts, lib/timeout.ts, server/supervisor/messages.ts | server/supervisor, config, dashboard/history/distributed-history.ts, detection, playback/context, probe, spec, server/metrics, server/system | the calls between the processes, typed by one interface a role
server/supervisor | config/settings/networks.ts, config/listeners.ts, lib, server/system, spec/house.ts | config, ports | processes no untrusted input, so nothing remote can slow it down
server/services | pure, api, broadcasts, config, forward/target/addresses.ts, ingest, detection, recording, lib, playback, ports, probe, store, vod, server/rpc, server/metrics, server/system | | composes modules for the server and for commands on the store
server/admin | lifecycle/lifecycle.ts, spec, api, config, dashboard/history/series-store.ts, dashboard/view/health-series.ts, lib, ports, store, vod, server/services, server/system, report, rules/registry | lifecycle, judge | the actions of the command line, composed from the services
server/quickstart | lifecycle, judge, api, lib, ports, spec/service-errors.ts | config, server/services | creates the objects of the first start through the ports
server/roles | acme, api, broadcasts, bytes/payload-buffers.ts, config, dashboard, detection/sound-taps.ts, forward/feed/feeds.ts, forward/process/forwards.ts, ingest, lib, playback, ports, probe/deep-probe.ts, probe/media-tools.ts, probe/tool-paths.ts, store/journal/pending-mark.ts, store/open.ts, vod/jobs/limits.ts, webhook, server/admin, server/rpc, server/http, server/metrics, server/quickstart, server/services, server/system, report | recording/recorder.ts, store/journal/error-journal.ts, vod/jobs/job-queue.ts, server/supervisor | each process of a running server, as the list of what it opens
server | config, ports, store/open.ts, server/supervisor, server/system | | the composition root of the supervisor
main.ts | cli, server/roles/role.ts, server/supervisor/messages.ts, server/system/bundle.ts, spec/house.ts | | starts the command line, or the role that the supervisor asks for
`;

/** Packages | places below `src/` that may import them: one home each, so that it can be replaced there. */
const HOMES = `
@opentelemetry/api | lib
@opentelemetry/exporter-trace-otlp-http, @opentelemetry/exporter-trace-otlp-proto, @opentelemetry/resources, @opentelemetry/sdk-trace-node | server/system
@peculiar/x509, reflect-metadata | config
@aws-sdk/client-s3 | store/blobs
acme-client | acme
@ffmpeg-installer/ffmpeg | probe
fflate | api/resources
busboy, compression, express, rate-limiter-flexible | api
commander | cli
ffprobe-static, fluent-ffmpeg | probe
ioredis | store/redis
lmdb | store/lmdb
@tailwindcss/vite, @tanstack/react-query, get-nonce, lucide-react, mpegts.js, qr, radix-ui, react, react-dom, uplot, vite | dashboard/web
node-media-server | playback/child
pino | server/system
prom-client | server/metrics
ws | dashboard
zod | config, api
`;

export const IMPORTS: readonly ModuleRule[] = rows(TABLE).map(([path = '', values = '', types = '', because = '']) => ({
  path,
  values: names(values),
  types: names(types),
  because,
}));

export const PACKAGE_HOMES: ReadonlyMap<string, readonly string[]> = new Map(
  rows(HOMES).flatMap(([packages = '', places = '']) => names(packages).map((name) => [name, names(places)] as const)),
);

function rows(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

function names(cell: string): string[] {
  return cell
    .split(', ')
    .filter((name) => name !== '')
    .flatMap((name) => (name === 'pure' ? PURE : [name]));
}
