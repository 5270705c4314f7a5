"""The bridge that runs our callbacks inside the trainings of mindspore.Model."""
