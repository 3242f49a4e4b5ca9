/** GStreamer's rtmp2sink waits without end otherwise. */
import type { Case } from '../../case.js';

export const startStream: Case = {
  id: 'publishing/start-stream',
  group: 'publishing',
  clause: 'RTMP 1.0 7.2.2',
  level: 'must',
  title: 'NetStream.Publish.Start comes on the stream that createStream returned',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    const stream = dialogue.statuses().find(({ info }) => info.code === 'NetStream.Publish.Start')?.messageStreamId;
    trial.check(`stream ${dialogue.streamId}`, stream === dialogue.streamId, `stream ${stream}`);
  },
};
