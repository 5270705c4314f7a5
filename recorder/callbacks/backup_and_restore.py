"""BackupAndRestore: saves a training after its epochs, and continues it when it is started again."""

import os
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool, checked_integer, checked_local_directory
from toposcope.recorder.callbacks.rank_decision import distributed_of_process
from toposcope.recorder.callbacks.training_checkpoint import restore_training, save_training
from toposcope.recorder.checkpoints.saving_phase import saving
from toposcope.recorder.checkpoints.state.capturing import states_of
from toposcope.recorder.checkpoints.state.sharded_tensors import broadcast_decision, has_sharded_tensors, join_gathering
from toposcope.recorder.collecting.requested_exit import requested_exit
from toposcope.recorder.rank import process_rank
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.state.state import State

_FILE = "backup.ckpt"


class BackupAndRestore(Callback):
    """Saves the training to `<backup_dir>/backup.ckpt` after its epochs; a training that finds the file continues it.

        model.train(10, loader, callbacks=[BackupAndRestore("backup")])

    If the process is killed in epoch 5 and started again, epochs 5 to 10 are trained, and the steps are counted on. The
    file contains the network, the optimizer, the schedulers, the scale of a loss scale manager, the finished steps and
    epochs, the place in the data of an epoch that was not finished, and the states of random generators, but not those
    of other callbacks. Model, Trainer and a watched loop over run.batches() continue such an epoch with its next batch.
    A loader with state_dict() and load_state_dict(), such as a StatefulDataLoader of torchdata, continues by itself; of
    others the trained batches are read and skipped, in the same order if that depends on the generators. The random
    states are those of one process: others keep theirs.

    A file that cannot be written because of the disk does not end the training: it is logged, and the next epoch is
    saved when it is due. Of several processes only rank 0 saves; all of them must have this callback, and restore the
    file, so that backup_dir must be a directory that all of them can read.

    In a loop of the user, run.state.timestamp.epoch is the epoch to begin with, from its first batch without
    run.batches(). In mindspore.Model, which does not know the finished epochs, network, optimizer and steps are
    restored, and all epochs are trained.

    Differences from MindSpore's class: epochs that were finished are not trained again; the file is written atomically;
    it is kept if OnRequestExit has stopped the training; the end of a training without a file is no error.
    """

    runs_in_fit_evaluation: bool = False

    def __init__(
        self, backup_dir: str | os.PathLike[str], save_freq: str | int = "epoch", delete_checkpoint: bool = True
    ) -> None:
        """Set the directory, which is created if it does not exist.

        Args:
            backup_dir: directory of the file.
            save_freq: "epoch": after each epoch; a number: after every save_freq epochs.
            delete_checkpoint: whether the file is deleted when the training has finished. False: a later call of
                Model.train() with the same number of epochs trains nothing.

        Raises:
            ValueError: backup_dir is not a path, save_freq is neither "epoch" nor a positive integer, or
                delete_checkpoint is not a bool.
            NotADirectoryError: backup_dir is a file.
            OSError: the directory cannot be created.
        """
        try:
            frequency = 1 if isinstance(save_freq, str) and save_freq == "epoch" else save_freq
            self._frequency = checked_integer("save_freq", frequency, lowest=1)
            self._deletes = checked_bool("delete_checkpoint", delete_checkpoint)
            self.backup_file = os.path.join(checked_local_directory("backup_dir", backup_dir), _FILE)
        except TypeError as error:  # MindSpore documents ValueError for all invalid values.
            raise ValueError(str(error)) from None
        self._rank = process_rank()
        self._state: State | None = None

    def restore_training(self, state: State) -> None:
        """Restore the training from the file, if there is one; FileNotFoundError if only rank 0 has it."""
        self._state = state
        exists = os.path.exists(self.backup_file)
        if distributed_of_process() is not None and (exists_on_first := broadcast_decision(exists)) != exists:
            if exists_on_first:
                raise FileNotFoundError(f"{self.backup_file!r} exists on rank 0, but not on rank {self._rank}.")
            exists = False
        if exists:
            restore_training(state, self.backup_file)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Save the training if it is due."""
        if run_context.original_args().cur_epoch_num % self._frequency == 0:
            self._save()

    def on_train_end(self, run_context: RunContext) -> None:
        """Delete the file, unless a signal has ended the training."""
        if self._deletes and not self._rank and requested_exit(run_context.original_args()) is None:
            _delete(self.backup_file)

    @saving()
    def _save(self) -> None:
        assert self._state is not None
        if self._rank:
            states: Any = states_of(self._state.model, self._state.optimizers or None)
            if has_sharded_tensors(states):
                join_gathering(states)
            return
        try:
            save_training(self._state, self.backup_file)
        except OSError as error:
            log.error("%s could not be saved, the training continues: %s.", self.backup_file, error)


def _delete(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # Nothing was saved.
    except OSError as error:
        log.warn("%s could not be deleted: %s.", path, error)
