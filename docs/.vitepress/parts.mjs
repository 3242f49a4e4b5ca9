// The four parts of the documents, in the order of the sidebar: title of an entry, path from the root of the repository.
// A test holds that each document stands in it once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './links.mjs';

/** Pages of a folder whose names are in order, by the titles of their headings. */
function titled(folder) {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const [heading = ''] = readFileSync(join(ROOT, folder, name), 'utf8').split('\n');
      return [heading.replace(/^# /, ''), `${folder}/${name}`];
    });
}

export const PARTS = [
  {
    title: 'Guide',
    groups: [
      {
        pages: [
          ['First broadcast', 'README.md'],
          ['From OBS', 'docs/tutorials/obs.md'],
          ['From ffmpeg', 'docs/tutorials/ffmpeg.md'],
          ['From GStreamer', 'docs/tutorials/gstreamer.md'],
          ['From a phone', 'docs/tutorials/phone.md'],
          ['In CI', 'docs/tutorials/ci.md'],
          ['Forwards', 'docs/tutorials/forwards.md'],
          ['Two machines', 'docs/tutorials/two-machines.md'],
          ['Grafana', 'docs/tutorials/grafana.md'],
          ['Conformance of a server', 'docs/tutorials/conformance.md'],
          ['The dashboard', 'docs/dashboard.md'],
          ['All documents', 'docs/README.md'],
        ],
      },
    ],
  },
  {
    title: 'Operate',
    groups: [
      {
        pages: [
          ['Operations', 'docs/operations.md'],
          ['Installing', 'docs/operations/install.md'],
          ['Start and stop', 'docs/operations/start.md'],
          ['Certificates', 'docs/operations/certificates.md'],
          ['HTTP on a public address', 'docs/operations/network.md'],
          ['Administration', 'docs/operations/administration.md'],
          ['Access tokens', 'docs/access.md'],
          ['Data and disk', 'docs/operations/data.md'],
          ['Backup and restore', 'docs/operations/backup.md'],
          ['Upgrading and draining', 'docs/operations/upgrading.md'],
          ['When a second encoder comes', 'docs/operations/second-encoder.md'],
          ['How much a machine holds', 'docs/capacity.md'],
          ['Two machines and a balancer', 'docs/operations/two-machines.md'],
          ['Alert recipes', 'docs/operations/alerts.md'],
          ['Traces', 'docs/operations/traces.md'],
          ['Security', 'docs/security.md'],
          ['Supply chain', 'docs/supply-chain.md'],
        ],
      },
    ],
  },
  {
    title: 'Reference',
    groups: [
      {
        pages: [
          ['Rules', 'docs/rules.md'],
          ['Settings', 'docs/settings.md'],
          ['Command line', 'docs/command-line.md'],
          ['Metrics and alerts', 'docs/operations/metrics.md'],
        ],
      },
      { title: 'Rules by family', pages: titled('docs/rules') },
      {
        title: 'Streams and files',
        pages: [
          ['Published requirements', 'docs/spec.md'],
          ['Open points of the requirements', 'docs/spec-gaps.md'],
          ['Own bounds', 'docs/house-spec.md'],
          ['Analysis', 'docs/analysis.md'],
          ['Files and builds in CI', 'docs/validate.md'],
          ['Own readers and ffmpeg', 'docs/readers.md'],
          ['Exit codes and output of the commands', 'docs/commands.md'],
          ['Conformance', 'docs/conformance.md'],
          ['Cases of the protocol', 'docs/conformance/protocol.md'],
          ['Cases of streams', 'docs/conformance/streams.md'],
        ],
      },
      {
        title: 'Interfaces',
        pages: [
          ['HTTP interface', 'docs/api.md'],
          ['Endpoints', 'docs/endpoints.md'],
          ['Details of endpoints', 'docs/endpoint-details.md'],
          ['Lifecycle', 'docs/lifecycle.md'],
          ['Live feed', 'docs/live-feed.md'],
          ['Playback', 'docs/playback.md'],
          ['Forwards of a broadcast', 'docs/forwards.md'],
          ['Two encoders', 'docs/two-encoders.md'],
          ['OBS', 'docs/obs.md'],
          ['Recordings and uploads', 'docs/media.md'],
          ['Copyright', 'docs/copyright.md'],
          ['In a program', 'docs/library.md'],
        ],
      },
    ],
  },
  {
    title: 'Internals',
    groups: [
      {
        pages: [
          ['Architecture', 'docs/ARCHITECTURE.md'],
          ['Reliability', 'docs/operations/faults.md'],
          ['Attacks tested', 'docs/security-tests.md'],
          ['Contributing', 'CONTRIBUTING.md'],
          ['Reporting vulnerabilities', 'SECURITY.md'],
          ['What changed', 'CHANGELOG.md'],
        ],
      },
      {
        title: 'Measurements and tests',
        pages: [
          ['Benchmark', 'bench/README.md'],
          ['Fuzzing', 'docs/fuzzing.md'],
          ['Promises and simulation', 'docs/reliability.md'],
          ['Making fixtures', 'docs/fixtures.md'],
          ['Test streams', 'fixtures/README.md'],
        ],
      },
      { title: 'Notebook', pages: titled('docs/notebook') },
      { title: 'Decisions', pages: titled('docs/decisions') },
    ],
  },
];
